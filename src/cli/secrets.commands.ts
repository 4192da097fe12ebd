import { counted } from '../core/text.js';
import type { Actor } from '../audit-log/audit-log.js';
import { SecretsModule } from '../operators/secrets.module.js';
import { SecretsService } from '../operators/secrets.service.js';
import type { CommandGroup } from './command-group.js';
import type { Result } from './output.js';
import { withProgress } from './progress.js';

export const secretsCommands: CommandGroup = {
  features: { imports: [SecretsModule] },
  define(secrets) {
    secrets
      .command('rotate')
      .description('Re-encrypt all stored secrets with SECRETS_KEY. SECRETS_PREVIOUS_KEYS decrypts older ones.')
      .audited()
      .examples('secrets rotate')
      .does(async (app, by: Actor) => {
        const secrets = app.get(SecretsService);
        return toResult(await withProgress('Re-encrypting secrets', (report) => secrets.rotate(by, report)));
      });
  },
};

const toResult = (rotated: number): Result => ({
  json: { rotated },
  text: () =>
    `${counted(rotated, 'secret was', 'secrets were')} re-encrypted. All secrets now use SECRETS_KEY: SECRETS_PREVIOUS_KEYS is no longer needed.\n` +
    'Keep the old key with the dumps and archived months that were made before: they open only with it. ' +
    'Make a dump now: docker compose run --rm backup now',
});
