import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ruleMembers } from '../common/rules.js';
import { DEFAULT_TYPES } from './defaults.js';
import { RULES } from './rules.js';

describe('the README', () => {
  const texts = ['./README.md', '../README.md'].map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'));
  const named = new Set(Array.from(texts.join('\n').matchAll(/`([A-Za-z0-9][\w-]*)(?::[^`]*)?`/g), ([, name]) => name));

  it('names every member of a rule', () => {
    expect(ruleMembers(RULES).filter((name) => !named.has(name))).toEqual([]);
  });

  it('names every product that is there from the start', () => {
    expect(DEFAULT_TYPES.filter(({ id }) => !named.has(String(id)))).toEqual([]);
  });
});
