import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { PALETTE } from '../../src/api-docs/palette.js';
import { projectRoot } from '../../src/core/project-root.js';
import { attributes, pageAt, readBuilt } from './built-site.js';

it('the documentation has the colours of the console, in light and in dark', () => {
  const css = readFileSync(path.join(projectRoot, 'console/src/app.css'), 'utf8');
  const inConsole = (name: string): string[] =>
    [...css.matchAll(new RegExp(`^ +--${name}: (#[0-9a-f]{6});`, 'gm'))].map(([, colour = '']) => colour);
  for (const [name, colours] of Object.entries(PALETTE)) expect([name, inConsole(name)]).toEqual([name, colours]);
  const [style = ''] = attributes(pageAt('/'), 'href').filter((address) => address.endsWith('.css'));
  const used = readBuilt(style.slice(1)).match(/var\(--[a-z-]+\)/g) ?? [];
  for (const name of ['page', 'ink', 'link', 'line'] as const) expect(used).toContain(`var(--${name})`);
});
