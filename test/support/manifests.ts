import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { plainToInstance } from 'class-transformer';
import { load, loadAll } from 'js-yaml';
import type { Container, PodSpec, Probe } from 'kubernetes-types/core/v1.js';
import ts from 'typescript';
import { Environment } from '../../src/core/environment.js';
import { projectRoot } from '../../src/core/project-root.js';

/** The members that manifests of all kinds have. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  data?: Record<string, string>;
  spec?: { template?: { spec?: PodSpec } };
}

const FOLDERS = ['deploy/kubernetes/base', 'deploy/kubernetes/example'];

/** All manifests, with the settings from which kustomize makes a ConfigMap. */
export function readManifests(): Manifest[] {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(path.join(projectRoot, folder)).map((name) => path.join(projectRoot, folder, name)),
  );
  return files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return path.basename(file) === 'kustomization.yaml' ? [settingsOf(text)] : parseManifests(text);
  });
}

export const parseManifests = (text: string): Manifest[] => loadAll(text) as Manifest[];

function settingsOf(text: string): Manifest {
  const { configMapGenerator } = load(text) as { configMapGenerator: { name: string; literals: string[] }[] };
  const data = configMapGenerator.flatMap(({ literals }) =>
    literals.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const),
  );
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: configMapGenerator[0]?.name ?? '' },
    data: Object.fromEntries(data),
  };
}

/**
 * Errors that the Kubernetes API would report: unknown fields, values of another type, missing members. The types are from
 * kubernetes-types, which is made from the published OpenAPI description.
 */
export function typeProblems(manifests: Manifest[]): string[] {
  const lines = manifests.map((manifest, index) => {
    const type = `import('kubernetes-types/${moduleOf(manifest.apiVersion)}').${manifest.kind}`;
    return `const m${index}: ${type} = ${JSON.stringify(manifest)};`;
  });
  const file = path.join(projectRoot, 'manifests.ts');
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict: true,
    types: [],
    lib: ['lib.es2022.d.ts'],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const host = ts.createCompilerHost(options);
  const readSource = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, lines.join('\n'), ts.ScriptTarget.ES2022) : readSource(name, ...rest);
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ start = 0, length = 0, messageText, file: source }) => {
    const { kind = '', metadata } = manifests[source?.getLineAndCharacterOfPosition(start).line ?? 0] ?? {};
    const at = source?.text.slice(start, start + length).slice(0, 80) ?? '';
    return `${kind} ${metadata?.name ?? ''}, ${at}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

/** `networking.k8s.io/v1` is in `networking/v1`, and `v1` in `core/v1`. */
function moduleOf(apiVersion: string): string {
  const [group = '', version] = apiVersion.split('/');
  return version === undefined ? `core/${group}` : `${group.split('.')[0] ?? ''}/${version}`;
}

/** A container of ours, with its environment. */
export interface Process {
  component: string;
  container: Container;
  /** Variables with their values; those of secrets have no value here. */
  env: Record<string, string | undefined>;
}

export function processesOf(manifests: Manifest[]): Process[] {
  const settings = new Map<string, Record<string, string>>();
  for (const { kind, metadata, data } of manifests)
    if (kind === 'ConfigMap') settings.set(metadata.name, { ...settings.get(metadata.name), ...data });
  return manifests.flatMap(({ metadata, spec }) =>
    (spec?.template?.spec?.containers ?? []).map((container) => {
      const env: Process['env'] = {};
      for (const { configMapRef } of container.envFrom ?? [])
        Object.assign(env, settings.get(configMapRef?.name ?? ''));
      for (const { name, value } of container.env ?? []) env[name] = value;
      return { component: metadata.labels?.['app.kubernetes.io/component'] ?? '', container, env };
    }),
  );
}

const KNOWN = new Set(Object.keys(plainToInstance(Environment, {}, { excludeExtraneousValues: true })));

/** Variables that the service does not read. */
export const unknownVariables = (processes: Process[]): string[] =>
  processes.flatMap(({ component, env }) =>
    Object.keys(env)
      .filter((name) => !KNOWN.has(name))
      .map((name) => `${component}: ${name}`),
  );

/** A probe of the kubelet. */
export function probesOf({ startupProbe, livenessProbe, readinessProbe }: Container): Probe[] {
  return [startupProbe, livenessProbe, readinessProbe].filter((probe) => probe !== undefined);
}
