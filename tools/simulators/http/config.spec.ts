import { describe, expect, it } from '@jest/globals';
import { resolve } from 'node:path';
import { StartupError } from '../common/config.js';
import { readConfig } from './config.js';

describe('readConfig', () => {
  it('has a default for each variable, also for an empty one', () => {
    const defaults = { port: 4010, host: '127.0.0.1', token: null, dataDir: resolve('.local/simulator') };
    const empty = { SIMULATOR_PORT: '', SIMULATOR_HOST: '', SIMULATOR_TOKEN: '', SIMULATOR_DATA_DIR: '' };
    expect(readConfig({})).toEqual(defaults);
    expect(readConfig(empty)).toEqual(defaults);
  });

  it('uses the given values', () => {
    const env = {
      SIMULATOR_PORT: '0',
      SIMULATOR_HOST: '::1',
      SIMULATOR_TOKEN: 'sesame',
      SIMULATOR_DATA_DIR: '/data',
    };
    expect(readConfig(env)).toEqual({ port: 0, host: '::1', token: 'sesame', dataDir: '/data' });
  });

  it.each(['-1', '65536', '4010.5', '1e3', 'http', ' '])('refuses the port %j', (port) => {
    expect(() => readConfig({ SIMULATOR_PORT: port })).toThrow(StartupError);
  });

  it('reports every mistake at once', () => {
    const env = { SIMULATOR_PORT: '70000', SIMULATOR_TOKEN: 'open sesame' };
    expect(() => readConfig(env)).toThrow(/SIMULATOR_PORT .*"70000"\n.*SIMULATOR_TOKEN /);
  });
});
