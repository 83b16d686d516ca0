FROM python:3.12.8-slim AS app
WORKDIR /app
COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt
COPY serve.py .
# want dockerfile-shell-command
CMD . /app/env && vllm serve /models/llama
