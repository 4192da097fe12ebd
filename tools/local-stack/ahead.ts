import path from 'node:path';
import { localDataDir } from '../../src/core/project-root.js';
import { StackLock } from './lock.js';
import { prepareCluster } from './postgres.js';
import { findRedis } from './redis-binary.js';
import { createDataDir } from './state.js';

// Beside the first build, what the servers need before they can start. What fails here is tried again by the start itself,
// which then says why.

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
