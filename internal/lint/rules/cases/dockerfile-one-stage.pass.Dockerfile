FROM nvidia/cuda:12.8.1-devel-ubuntu24.04 AS build
COPY kernels/ /src
RUN cmake -S /src -B /build && cmake --build /build

FROM nvidia/cuda:12.8.1-runtime-ubuntu24.04
COPY --from=build /build/server /server
CMD ["/server"]
