// node serve-fetch.mjs PORT FILE: serves `receive(request)` of a module, like Deno, Bun and workerd.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

const [port, file] = process.argv.slice(2);
const { receive } = await import(pathToFileURL(file).href);

createServer(async (request, response) => {
  const url = `http://127.0.0.1:${port}${request.url}`;
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  const body = await buffer(request);
  const answer = await receive(new Request(url, { method: 'POST', headers, body })).catch((error) => {
    console.error(error);
    return new Response(null, { status: 500 });
  });
  response.writeHead(answer.status).end();
}).listen(Number(port), '127.0.0.1');
