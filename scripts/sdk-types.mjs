// Writes the types of the SDK from openapi.json; `npm run openapi` runs it. A path as its argument takes the place of the
// SDK's own file.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';

const inCheckout = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const [target = inCheckout('sdk/typescript/src/schema.ts')] = process.argv.slice(2);

const document = JSON.parse(readFileSync(inCheckout('openapi.json'), 'utf8'));
const types = astToString(await openapiTypescript(document));
writeFileSync(target, `// Written from openapi.json by npm run openapi.\n\n${types}`);
