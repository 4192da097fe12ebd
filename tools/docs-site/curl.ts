import { exampleOf, resolveParameter, type Endpoint, type OpenApi, type Parameter } from './openapi-document.js';

/** A curl command for a request. It reads `TOPUP_URL` and `TOPUP_API_KEY` from the environment. */
export function curlOf(document: OpenApi, { method, path, operation }: Endpoint): string {
  const parameters = (operation.parameters ?? []).map((each) => resolveParameter(document, each));
  const example = ({ schema, example: given }: Parameter): string => String(given ?? exampleOf(document, schema));
  const address = parameters
    .filter((each) => each.in === 'path')
    .reduce((filled, each) => filled.replace(`{${each.name}}`, encodeURIComponent(example(each))), path);
  const lines = [
    `curl -sS ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$TOPUP_URL${address}"`,
    `-H "X-API-Key: $TOPUP_API_KEY"`,
  ];
  const content = operation.requestBody?.content['application/json'];
  if (content) {
    const [first] = Object.values(content.examples ?? {});
    const body = JSON.stringify(first?.value ?? exampleOf(document, content.schema), null, 2);
    lines.push(`-H 'Content-Type: application/json'`, `-d '${body.replaceAll("'", String.raw`'\''`)}'`);
  }
  return lines.join(' \\\n  ');
}
