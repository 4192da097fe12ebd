// `npm run sdk:types` writes the types of the SDK from openapi.json. They are not committed: the SDK's build, type-check, linter
// and tests run this first. A path as its argument replaces the SDK's own file.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';

const inCheckout = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const [target = inCheckout('sdk/typescript/src/schema.ts')] = process.argv.slice(2);

const document = JSON.parse(readFileSync(inCheckout('openapi.json'), 'utf8'));
const types = `// Written from openapi.json by npm run sdk:types.\n\n${astToString(await openapiTypescript(document))}`;
// A compiler may be reading the file: the same types are not written again.
if (!existsSync(target) || readFileSync(target, 'utf8') !== types) writeFileSync(target, types);
