import { runMain, serveUntilSignalled } from '../common/process.js';
import { readConfig } from './config.js';
import { startDigiflazz } from './simulator.js';

runMain(async () => {
  const { server, close } = await startDigiflazz(readConfig(process.env));
  serveUntilSignalled(server, close);
});
