import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Metrics } from '../src/core/metrics.js';

const read = (place: string): string => readFileSync(new URL(`../${place}`, import.meta.url), 'utf8');

interface Panel {
  title: string;
  type: string;
  datasource?: { uid: string };
  targets?: { expr: string }[];
}

const alerts = read('deploy/prometheus/alerts.yml');
const dashboard = JSON.parse(read('deploy/grafana/dashboards/topup.json')) as { panels: Panel[] };
const panels = dashboard.panels.filter(({ type }) => type !== 'row');

/** The anchor that a heading of Markdown gets. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');

/** The names of our metrics in a text. Queries add suffixes to histograms and counters. */
function measuredIn(text: string): string[] {
  const names = text.match(/\b(topup|http|nodejs|process)_[a-z0-9_]+/g) ?? [];
  return [...new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')))];
}

async function exported(): Promise<string[]> {
  const metrics = new Metrics();
  metrics.describeProcess('0.0.0');
  metrics.watchPool(() => ({ total: 0, idle: 0, waiting: 0 }));
  return (await metrics.registry.getMetricsAsJSON()).map(({ name }) => name);
}

describe('The monitoring of the deployment', () => {
  it('has an entry in the runbook for each alert', () => {
    const headings = [...read('docs/operations.md').matchAll(/^### (.+)$/gm)].map(([, text = '']) => text);
    const anchors = headings.map(anchorOf);
    const links = [...alerts.matchAll(/runbook_url: docs\/operations\.md#(\S+)/g)].map(([, anchor]) => anchor);
    expect(links).toHaveLength(alerts.match(/- alert: /g)?.length ?? 0);
    expect(links.filter((link) => !anchors.includes(link ?? ''))).toEqual([]);
    expect(anchors.filter((anchor) => !links.includes(anchor))).toEqual([]);
  });

  it('gives each alert a severity and a summary', () => {
    const rules = alerts.split('- alert: ').slice(1);
    expect(rules.filter((rule) => !/severity: (critical|warning)\b/.test(rule))).toEqual([]);
    expect(rules.filter((rule) => !/summary: ./.test(rule))).toEqual([]);
  });

  it('uses only metrics that the service exports, in alerts and on the dashboard', async () => {
    const known = await exported();
    const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(queries.length).toBeGreaterThan(panels.length - 1);
    const asked = measuredIn([alerts, ...queries].join('\n'));
    expect(asked.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('gives every panel the data source of Grafana’s provisioning', () => {
    const uid = /^ +uid: (\S+)$/m.exec(read('deploy/grafana/provisioning/datasources/prometheus.yml'))?.[1];
    expect(uid).toBeDefined();
    expect(panels.filter((panel) => panel.datasource?.uid !== uid).map(({ title }) => title)).toEqual([]);
  });
});

describe('The packages of the image', () => {
  it('have known, permissive licences, as documented', () => {
    const check = spawnSync(process.execPath, ['scripts/licences.mjs', '--check'], { encoding: 'utf8' });
    expect(check.stderr).toBe('');
    expect(check.status).toBe(0);
  });
});
