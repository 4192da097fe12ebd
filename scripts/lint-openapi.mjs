// Checks openapi.json by the recommended rules of Redocly and Spectral. Warnings fail as well. Part of `npm run lint`.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';

const file = fileURLToPath(new URL('../openapi.json', import.meta.url));
const source = readFileSync(file, 'utf8');

const problems = [...(await askRedocly()), ...(await askSpectral())];
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

async function askRedocly() {
  const config = await createConfig({ extends: ['recommended'] });
  const found = await lintFromString({ source, absoluteRef: file, config });
  return found.map(({ ruleId, message, location: [place] }) => `redocly ${ruleId} ${place?.pointer}: ${message}`);
}

async function askSpectral() {
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset(new spectralCore.Ruleset({ extends: [[spectralRulesets.oas, 'recommended']] }));
  const found = await spectral.run(JSON.parse(source));
  return found.map(({ code, message, path }) => `spectral ${code} #/${path.join('/')}: ${message}`);
}
