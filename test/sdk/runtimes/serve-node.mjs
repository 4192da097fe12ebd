// node serve-node.mjs PORT FILE: serves the default export of a module, which Deno, Bun and workerd serve by themselves.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

const [port, file] = process.argv.slice(2);
const { default: shop } = await import(pathToFileURL(file).href);

createServer(async (request, response) => {
  const { method, url, headers } = request;
  const body = method === 'GET' ? null : await buffer(request);
  const answer = await shop.fetch(new Request(new URL(url, `http://127.0.0.1:${port}`), { method, headers, body }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
}).listen(Number(port), '127.0.0.1');
