import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import { loadConfig } from '../src/core/config.js';
import { projectRoot } from '../src/core/project-root.js';
import { findOnPath } from '../tools/local-stack/debian-packages.js';
import { ConsoleStack } from './console/console-stack.js';
import { openManagementPort } from './ops/management.js';
import { eventually } from './support/eventually.js';
import {
  parseManifests,
  probesOf,
  processesOf,
  readManifests,
  typeProblems,
  unknownVariables,
  type Manifest,
  type Process,
} from './support/manifests.js';
import { TestStack } from './support/stack.js';
import { fetchServed } from './support/until-served.js';

const kubectl = findOnPath(['kubectl']);
const written = readManifests();
const GIVEN = {
  DATABASE_URL: 'postgres://topup@db/topup',
  REDIS_URL: 'redis://redis',
  SECRETS_KEY: Buffer.alloc(32).toString('base64'),
};

/** The ports on which the parts of the service listen, by component and name of the port. */
let listening: Record<string, string>;
let stack: TestStack;
let console: ConsoleStack;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  const worker = await stack.startWorker();
  console = await ConsoleStack.start({ DATABASE_URL: stack.config.DATABASE_URL });
  listening = {
    'api http': stack.url,
    'api management': await openManagementPort(stack.api),
    'worker management': await openManagementPort(worker),
    'console http': console.url,
  };
  const areReady = Object.values(listening).map((base) =>
    eventually(
      async () => (await fetch(`${base}/readyz`)).status,
      (status) => status === 200,
    ),
  );
  await Promise.all(areReady);
});

afterAll(async () => {
  await console.close();
  await stack.close();
});

/** Probes that would not get a 200 from the service. */
async function failingProbes(processes: Process[]): Promise<string[]> {
  const probes = processes.flatMap(({ component, container }) =>
    probesOf(container).map(({ httpGet }) => ({ component, httpGet })),
  );
  const answers = probes.map(async ({ component, httpGet }) => {
    const place = `${component} ${httpGet?.port ?? ''}`;
    const base = listening[place];
    const status = base === undefined ? 'no port' : (await fetchServed(base + (httpGet?.path ?? ''))).status;
    return status === 200 ? [] : [`${place}${httpGet?.path ?? ''}: ${status}`];
  });
  return (await Promise.all(answers)).flat();
}

/** The ports on which a process listens with its settings, in the form of its manifest. */
function portsOf({ component, env }: Process): { name: string; containerPort: number }[] {
  const config = loadConfig({ ...env, ...GIVEN }, { forCommandLine: component === 'migrate' });
  const management = { name: 'management', containerPort: config.MANAGEMENT_PORT ?? 0 };
  if (component === 'api') return [{ name: 'http', containerPort: config.PORT }, management];
  if (component === 'console') return [{ name: 'http', containerPort: config.console.port }];
  return component === 'worker' ? [management] : [];
}

/** The manifests with a changed text, such as by a mistake. */
function changed(manifests: Manifest[], from: string, to: string): Manifest[] {
  const text = JSON.stringify(manifests);
  expect(text).toContain(from);
  return JSON.parse(text.replace(from, to)) as Manifest[];
}

describe('The manifests for Kubernetes', () => {
  it('have only members of the Kubernetes API', () => {
    expect(typeProblems(written)).toEqual([]);
  });

  it('set only variables that the service reads, to valid values', () => {
    const processes = processesOf(written);
    expect(unknownVariables(processes)).toEqual([]);
    expect(processes.map(({ component }) => component).sort()).toEqual(['api', 'console', 'migrate', 'worker']);
    for (const process of processes)
      expect({ [process.component]: process.container.ports ?? [] }).toEqual({
        [process.component]: portsOf(process),
      });
  });

  it('send probes to addresses where the service answers', async () => {
    const processes = processesOf(written).filter(({ component }) => component !== 'migrate');
    expect(processes.map(({ container }) => probesOf(container).length)).toEqual([3, 3, 3]);
    expect(await failingProbes(processes)).toEqual([]);
  });

  it('start existing programs', () => {
    for (const { container } of processesOf(written)) {
      const [, ...given] = container.args ?? [];
      const program = given.find((each) => !each.startsWith('-')) ?? '';
      expect(program).toMatch(/^dist\/src\/\w+\.js$/);
      const source = program.replace('dist/', '').replace(/\.js$/, '.ts');
      expect(existsSync(path.join(projectRoot, source))).toBe(true);
    }
  });

  it('give each process the time that it needs to stop', () => {
    const times = written.flatMap(({ metadata, spec }) => {
      const pod = spec?.template?.spec;
      const sleep = pod?.containers[0]?.lifecycle?.preStop?.exec?.command?.[1] ?? '0';
      return pod?.terminationGracePeriodSeconds === undefined
        ? []
        : [[metadata.name, pod.terminationGracePeriodSeconds - Number(sleep)] as const];
    });
    const { 'topup-api': api, 'topup-worker': worker, 'topup-console': consoleSeconds } = Object.fromEntries(times);
    expect(api).toBeGreaterThan(10);
    expect(consoleSeconds).toBeGreaterThan(10);
    expect(worker).toBeGreaterThan(20);
  });

  it('give processes no unnecessary rights', () => {
    for (const { spec } of written) {
      const pod = spec?.template?.spec;
      if (!pod) continue;
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(pod.containers[0]?.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  it('let processes write only in memory, where `month archive` refuses to leave its files', () => {
    const writable = written.flatMap(({ spec }) => spec?.template?.spec?.volumes ?? []).filter((each) => !each.secret);
    expect(writable.map(({ name }) => name)).toEqual(['tmp', 'tmp', 'tmp']);
    for (const { emptyDir } of writable) expect(emptyDir).toMatchObject({ medium: 'Memory' });
  });

  it('allow network traffic only through existing ports', () => {
    const names = new Set(
      processesOf(written).flatMap(({ component, container }) =>
        (container.ports ?? []).map(({ name }) => `${component} ${name ?? ''}`),
      ),
    );
    const policies = written.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as NetworkPolicy[];
    expect(policies.map(({ spec }) => spec)).toContainEqual({
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
    });
    for (const { spec } of policies) {
      const { matchLabels, matchExpressions } = spec?.podSelector ?? {};
      const component = matchLabels?.['app.kubernetes.io/component'];
      const components = component === undefined ? matchExpressions?.[0]?.values : [component];
      for (const { ports = [] } of spec?.ingress ?? [])
        for (const { port } of ports)
          for (const each of components ?? []) expect(names).toContain(`${each} ${port ?? ''}`);
    }
  });
});

const read = (file: string): string => readFileSync(path.join(projectRoot, file), 'utf8');

/** The text of the manifest of this kind in docs/kubernetes.md. */
function documented(kind: string): string {
  const [, text] = new RegExp(`\`\`\`yaml\n([^\`]*kind: ${kind}\n[^\`]*)\`\`\``).exec(read('docs/kubernetes.md')) ?? [];
  if (text === undefined) throw new Error(`docs/kubernetes.md has no ${kind}`);
  return text;
}

describe('The pod for archives in docs/kubernetes.md', () => {
  it('has only members of the Kubernetes API', () => {
    expect(typeProblems(parseManifests(documented('Pod')))).toEqual([]);
  });
});

describe('The PodMonitor of docs/kubernetes.md', () => {
  const [monitor] = loadAll(documented('PodMonitor')) as {
    spec: { jobLabel?: string; selector: { matchLabels: object }; podMetricsEndpoints: { port: string }[] };
  }[];
  /** The pods that it scrapes, by the values of its label for jobs. */
  const jobs = written.flatMap(({ spec }) => {
    const { metadata, spec: pod } = (spec?.template ?? {}) as PodTemplateSpec;
    const ports = pod?.containers.flatMap((container) => container.ports ?? []) ?? [];
    const isScraped = monitor?.spec.podMetricsEndpoints.some(({ port }) => ports.some(({ name }) => name === port));
    return isScraped ? [metadata?.labels?.[monitor?.spec.jobLabel ?? '']] : [];
  });

  it('gives API and worker the jobs by which the alerts find them', () => {
    expect(new Set(jobs)).toEqual(new Set(['api', 'worker']));
    const named = [...read('deploy/prometheus/alerts.yml').matchAll(/\bjob=~?"([^"]+)"/g)];
    expect(new Set(named.flatMap(([, names = '']) => names.split('|')))).toEqual(new Set(jobs));
  });
});

describe('A mistake in them is found:', () => {
  it('a field that is misspelt', () => {
    const problems = typeProblems(changed(written, '"readinessProbe"', '"readynessProbe"'));
    expect(problems.join()).toMatch(/readynessProbe/);
  });

  it('a value of another type', () => {
    const problems = typeProblems(changed(written, '"maxReplicas":6', '"maxReplicas":"6"'));
    expect(problems).toEqual([expect.stringMatching(/^HorizontalPodAutoscaler topup-api, "maxReplicas": .*number/)]);
  });

  it('a variable that the service does not read', () => {
    const processes = processesOf(changed(written, '"MANAGEMENT_PASSWORD"', '"MANAGMENT_PASSWORD"'));
    expect(unknownVariables(processes)).toEqual(['api: MANAGMENT_PASSWORD']);
  });

  it.each([
    ['a path', '"path":"/readyz"', '"path":"/ready"', 'api http/ready: 404'],
    ['a port', '"port":"management"', '"port":"metrics"', 'api metrics/healthz: no port'],
  ])('%s of a probe that does not exist', async (_what, from, to, problem) => {
    const problems = await failingProbes(processesOf(changed(written, from, to)));
    expect(problems).toEqual([problem]);
  });
});

(kubectl === null ? describe.skip : describe)('What kubectl makes of the example', () => {
  const { stdout, stderr, status } = spawnSync(
    kubectl ?? 'kubectl',
    ['kustomize', path.join(projectRoot, 'deploy/kubernetes/example')],
    { encoding: 'utf8' },
  );
  const rendered = parseManifests(stdout);

  it('has only members of the Kubernetes API, and variables of the service', async () => {
    expect([status, stderr]).toEqual([0, '']);
    expect(typeProblems(rendered)).toEqual([]);
    const processes = processesOf(rendered);
    expect(unknownVariables(processes)).toEqual([]);
    expect(processes).toHaveLength(4);
    expect(await failingProbes(processes)).toEqual([]);
  });

  it('is all in one namespace, with one image, and with the settings of both', () => {
    const elsewhere = rendered.filter(({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== 'topup');
    expect(elsewhere).toEqual([]);
    for (const { component, container, env } of processesOf(rendered)) {
      expect(container.image).toMatch(/^registry\.example\.com\/order-topup-service:/);
      if (component === 'migrate') continue;
      expect(env).toMatchObject({ PORT: '3000', CONSOLE_URL: 'https://console.example.com' });
    }
  });
});
