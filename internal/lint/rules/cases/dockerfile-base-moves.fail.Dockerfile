# want dockerfile-base-moves
FROM python:latest AS app
WORKDIR /app
COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt
COPY serve.py .
CMD ["python", "serve.py"]
