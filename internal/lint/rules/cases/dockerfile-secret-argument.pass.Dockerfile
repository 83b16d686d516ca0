FROM python:3.12.8-slim AS app
WORKDIR /app
COPY requirements.txt .
RUN --mount=type=secret,id=pypi,target=/root/.netrc pip install --no-cache-dir -r requirements.txt
COPY serve.py .
CMD ["python", "serve.py"]
