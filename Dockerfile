# Assay as an image, for the Job of `assay render bench`:
#   docker build --build-arg VERSION=$(git describe --tags --always) -t assay .
FROM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY cmd cmd
COPY internal internal
ARG VERSION
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X assay/internal/cli.Version=$VERSION" -o /assay ./cmd/assay

# One static program and the certificates of public authorities: nothing else runs.
FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /assay /assay
ENV HOME=/tmp
USER 65532:65532
WORKDIR /results
ENTRYPOINT ["/assay"]
