FROM python:3.12.8-slim AS app
WORKDIR /app
COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt
RUN <<EOF
python -m compileall /app
EOF
COPY serve.py .
CMD ["python", "serve.py"]
