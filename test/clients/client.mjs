// Use the real `openai` client as its users do, and print what it saw.
//
// usage: client.mjs BASE_URL MODEL CASE
//
// CASE is stream, whole, completion or error. Prints one JSON object:
// {text, chunks, finish_reason, usage} or {status, type, message}.
import OpenAI, { APIError } from 'openai';

const [baseURL, model, name] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey: process.env.OPENAI_API_KEY ?? 'none', maxRetries: 0, timeout: 30_000 });
const messages = [{ role: 'user', content: 'Hello, please count the words.' }];
const vllm = { ignore_eos: true }; // a parameter of vLLM's own

const counts = ({ prompt_tokens, completion_tokens }) => ({ prompt_tokens, completion_tokens });

const cases = {
  async stream() {
    const seen = { text: '', chunks: 0, finish_reason: null, usage: null };
    const stream = await client.chat.completions.create({
      model, messages, max_tokens: 12, stream: true, stream_options: { include_usage: true }, ...vllm,
    });
    for await (const chunk of stream) {
      seen.chunks++;
      for (const choice of chunk.choices) {
        seen.text += choice.delta.content ?? '';
        seen.finish_reason = choice.finish_reason ?? seen.finish_reason;
      }
      if (chunk.usage) seen.usage = counts(chunk.usage);
    }
    return seen;
  },
  async whole() {
    const got = await client.chat.completions.create({ model, messages, max_tokens: 12, ...vllm });
    const [choice] = got.choices;
    return { text: choice.message.content, chunks: 1, finish_reason: choice.finish_reason, usage: counts(got.usage) };
  },
  async completion() {
    const got = await client.completions.create({ model, prompt: 'Hello world', max_tokens: 12, ...vllm });
    const [choice] = got.choices;
    return { text: choice.text, chunks: 1, finish_reason: choice.finish_reason, usage: counts(got.usage) };
  },
  async error() {
    try {
      await client.chat.completions.create({ model: 'no-such-model', messages });
    } catch (e) {
      if (e instanceof APIError) return { status: e.status, type: e.type, message: e.error.message };
      throw e;
    }
    throw new Error('a model that does not exist was answered');
  },
};

const models = [];
for await (const m of client.models.list()) models.push(m.id);
if (!models.includes(model)) throw new Error(`${model} is not in the list of models`);
console.log(JSON.stringify(await cases[name]()));
