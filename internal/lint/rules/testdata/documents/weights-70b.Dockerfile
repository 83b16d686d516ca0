# 140 GB of weights in the image: each node pulls them at the speed of a registry, with each new
# version of the code again.
FROM vllm/vllm-openai:v0.32.0
# want dockerfile-weights
RUN --mount=type=secret,id=hub,env=HF_TOKEN hf download meta-llama/Llama-3.1-70B-Instruct \
    --local-dir /models/Llama-3.1-70B-Instruct
ENTRYPOINT ["vllm", "serve", "/models/Llama-3.1-70B-Instruct"]
