import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// Node loads this file twice: to register the hook, and in another thread to run it.
if (isMainThread) register(import.meta.url);

const globals = new URL('./globals.js', import.meta.url).href;

/** Replaces `@jest/globals`, which can be loaded only by Jest's own runtime. */
export const resolve = (specifier, context, nextResolve) =>
  specifier === '@jest/globals' ? { url: globals, shortCircuit: true } : nextResolve(specifier, context);
