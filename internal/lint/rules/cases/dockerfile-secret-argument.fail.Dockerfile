FROM python:3.12.8-slim AS app
WORKDIR /app
COPY requirements.txt .
# want dockerfile-secret-argument
ARG PYPI_TOKEN
RUN pip install --no-cache-dir -r requirements.txt
COPY serve.py .
CMD ["python", "serve.py"]
