import path from 'node:path';
import { localDataDir } from '../../src/core/project-root.js';
import { StackLock } from './lock.js';
import { prepareCluster } from './postgres.js';
import { findRedis } from './redis-binary.js';
import { createDataDir } from './state.js';

// Prepares the servers during the first build. If a step fails here, the start repeats it and reports the reason.

const dataDir = localDataDir();
const { DATABASE_URL, REDIS_URL } = process.env;

try {
  createDataDir(dataDir);
  const lock = await StackLock.take(dataDir);
  try {
    await Promise.allSettled([
      DATABASE_URL?.trim() ? null : prepareCluster(path.join(dataDir, 'postgres')),
      REDIS_URL?.trim() ? null : findRedis(path.join(dataDir, 'redis-package')),
    ]);
  } finally {
    lock.release();
  }
} catch {
  process.exitCode = 1;
}
