import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ruleMembers } from '../common/rules.js';
import { DEFAULT_PRODUCTS } from './defaults.js';
import { RULES } from './rules.js';

describe('the README', () => {
  const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
  const named = new Set(Array.from(readme.matchAll(/[`"](\w[\w-]*)(?::[^`]*)?[`"]/g), ([, name]) => name));

  it('names every member of a rule', () => {
    expect(ruleMembers(RULES).filter((name) => !named.has(name))).toEqual([]);
  });

  it('names every product that is there from the start', () => {
    const codes = DEFAULT_PRODUCTS.map(({ code }) => code);
    expect(codes.filter((code) => !named.has(code))).toEqual([]);
  });
});
