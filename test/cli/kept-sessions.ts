import { AsyncLocalStorage } from 'node:async_hooks';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { beforeDrop } from '../support/database.js';

// A command opens its services, works for a moment, and closes them. To open them takes most of its time. So commands in the
// process of a test keep them for the next command with the same environment and features, until the test's database ends.

const environment = new AsyncLocalStorage<NodeJS.ProcessEnv>();
const kept = new Map<string, Promise<INestApplicationContext>>();
const open = NestFactory.createApplicationContext.bind(NestFactory);

/** Runs a command whose services are kept if its database is one of a test. */
export const keepingSessions = <Result>(env: NodeJS.ProcessEnv, work: () => Result): Result =>
  environment.run(env, work);

NestFactory.createApplicationContext = async (module: DynamicModule, options) => {
  const env = environment.getStore();
  if (!env) return open(module, options);
  const features = [...(module.imports ?? []).slice(1), ...(module.providers ?? [])] as { name: string }[];
  const key = JSON.stringify([env, features.map(({ name }) => name)]);
  const session = kept.get(key) ?? open(module, options);
  if (!kept.has(key)) {
    const end = async (): Promise<void> => {
      kept.delete(key);
      await session.then(
        (app) => app.close(),
        () => undefined,
      );
    };
    if (!beforeDrop(env.DATABASE_URL, end)) return session;
    kept.set(key, session);
  }
  return Object.create(await session, { close: { value: () => Promise.resolve() } }) as INestApplicationContext;
};
