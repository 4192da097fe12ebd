import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectRoot } from '../../src/core/project-root.js';
import { FAULTS } from './faults.js';
import { figuresOf, isPromised } from './figures.js';
import type { Answer, OrderHistory } from './merchants.js';
import { missingHere, NEEDED } from './programs.js';
import { rowOf } from './report.js';
import { SCENARIOS, scenariosOf } from './scenarios.js';
import { patroniSettings, pgbouncerSettings, sentinelSettings, settingsOf } from './settings.js';
import { Violations } from '../chaos/violations.js';

describe('the laboratory of lost machines', () => {
  it('has scenarios with different names, existing faults, and goals', () => {
    expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
    for (const { steps, goals } of SCENARIOS) {
      expect(steps.length).toBeGreaterThan(0);
      expect(Object.keys(FAULTS)).toEqual(expect.arrayContaining(steps.map(({ fault }) => fault)));
      expect(goals.withoutOk).toBeGreaterThan(0);
    }
  });

  it('has every fault in a scenario', () => {
    const played = SCENARIOS.flatMap(({ steps }) => steps.map(({ fault }) => fault));
    expect(new Set(played)).toEqual(new Set(Object.keys(FAULTS)));
  });

  it('names the existing scenarios if it gets an unknown one', () => {
    expect(() => scenariosOf(['switchover', 'earthquake'])).toThrow(/no scenario earthquake.*primary-off/);
    expect(scenariosOf(['etcd-lost', 'switchover']).map(({ name }) => name)).toEqual(['switchover', 'etcd-lost']);
  });

  it('prints the command that installs missing programs', () => {
    const missing = missingHere(false, (name) => name !== 'nft' && name !== 'etcd', null);
    expect(missing).toEqual([
      expect.stringMatching(/^root is missing.*sudo npm run ha/),
      'nft is missing: apt-get install --no-install-recommends nftables',
      'etcd is missing: apt-get install --no-install-recommends etcd-server',
      expect.stringMatching(/^postgres is missing: apt-get install/),
    ]);
    expect(missingHere(true, () => true, '/usr/lib/postgresql/15/bin')).toEqual([]);
  });

  it('starts nothing for an unknown scenario', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', './scripts/typescript.mjs', 'test/ha/check.ts', 'earthquake'],
      { cwd: projectRoot, encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^There is no scenario earthquake/)]);
  });

  it('runs the files of deploy/ha, with changes that match them', () => {
    const ofPatroni = (version: string): string => patroniSettings('pg2', '10.0.0.12', '/programs', version);
    expect(ofPatroni('4.0.7')).toMatch(/synchronous_mode: quorum[^]*connect_address: 10\.0\.0\.12:5432/);
    // The parser would read that word as "off".
    expect(ofPatroni('3.3.2')).toMatch(/synchronous_mode: true/);
    expect(pgbouncerSettings(18)).not.toMatch(/^max_prepared_statements/m);
    expect(sentinelSettings('10.0.0.21')).toMatch(/monitor mymaster 10\.0\.0\.21 6379 2/);
    expect(() => settingsOf('haproxy.cfg', [[/no such line/, '']])).toThrow(/deploy\/ha\/haproxy.cfg has no/);
  });

  it('lists its packages in its README', () => {
    const readme = readFileSync(path.join(projectRoot, 'test/ha/README.md'), 'utf8');
    const packages = Object.values(NEEDED).flatMap((names) => names.split(' '));
    const installed = new Set(/^apt-get install (.*)$/m.exec(readme)?.[1]?.split(' '));
    // These two are installed on every Debian.
    expect(packages.filter((name) => !['util-linux', 'iproute2'].includes(name) && !installed.has(name))).toEqual([]);
  });
});

describe('the effect of a fault on merchants', () => {
  const answer = (sentAtMs: number, atMs: number, status: Answer['status'], isOurs = false): Answer => ({
    sentAtMs,
    atMs,
    status,
    isOurs,
    retryAfterMs: 1_000,
  });
  const history = (reference: string, acknowledgedAtMs: number | null, answers: Answer[]): OrderHistory => ({
    merchant: 0,
    reference,
    answers,
    acknowledgedAtMs,
    orderNumber: reference,
  });
  const histories = [
    history('a', 900, [answer(880, 900, 200)]),
    history('b', 4_500, [answer(1_100, 1_150, 503, true), answer(2_150, 4_500, 200)]),
    history('c', 4_900, [answer(4_890, 4_900, 200)]),
  ];
  const reportedAtMs = new Map([
    ['a', 1_000],
    ['b', 7_000],
    ['c', 5_000],
  ]);
  const measured = { histories, reportedAtMs, faultAtMs: 1_000, endAtMs: 5_000 };

  it('has the longest time without a 200, and the order whose end was reported last', () => {
    expect(figuresOf(measured)).toMatchObject({ orders: 3, withoutOk: 3.6, worstOrder: 2.5 });
  });

  it('lasts until the end of the load if no 200 comes any more', () => {
    expect(figuresOf({ ...measured, histories: histories.slice(0, 1) }).withoutOk).toBe(4.1);
  });

  it('counts an order that was never reported, or never acknowledged, as endless', () => {
    expect(figuresOf({ ...measured, reportedAtMs: new Map() }).worstOrder).toBe(Infinity);
    expect(figuresOf({ ...measured, histories: [history('d', null, [])] }).worstOrder).toBe(Infinity);
  });

  it('is within the contract if each answer is 200, or 503 with Retry-After', () => {
    const { statuses } = figuresOf(measured);
    expect(statuses).toEqual({ 200: 3, 503: 1 });
    expect(isPromised(statuses)).toBe(true);
    for (const status of [answer(1, 2, 503), answer(1, 2, 'timeout'), answer(1, 2, 500)]) {
      const figures = figuresOf({ ...measured, histories: [history('e', null, [status])] });
      expect(isPromised(figures.statuses)).toBe(false);
    }
  });

  it('is marked if it misses a goal', () => {
    const [scenario] = SCENARIOS;
    if (!scenario) throw new Error('there is no scenario');
    const figures = { ...figuresOf(measured), withoutOk: 99, worstOrder: 100 };
    const violations = new Violations();
    violations.add('clients', 'an acknowledged order is lost', {});
    const row = rowOf({ scenario, figures, violations });
    expect(row['seconds without a 200']).toMatch(/99\.0 .*MISSED/);
    expect(row['worst order, seconds']).toBe('100.0 (goal 101.0)');
    expect(row.books).toBe('1 × clients: an acknowledged order is lost');
  });
});
