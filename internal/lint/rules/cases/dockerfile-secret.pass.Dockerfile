FROM python:3.12.8-slim AS app
WORKDIR /app
COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt
COPY serve.py .
ENV HF_TOKEN_PATH=/secrets/hub/token
CMD ["python", "serve.py"]
