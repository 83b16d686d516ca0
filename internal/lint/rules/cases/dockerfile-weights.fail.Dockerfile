FROM python:3.12.8-slim AS app
WORKDIR /app
COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt
# want dockerfile-weights
RUN hf download meta-llama/Llama-3.1-8B-Instruct --local-dir /models
COPY serve.py .
CMD ["python", "serve.py"]
