import type { ApiKey } from '../auth/api-key.entity.js';
import { ApiKeysService, MAX_OVERLAP_SECONDS, type IssuedApiKey } from '../auth/api-keys.service.js';
import { AuthModule } from '../auth/auth.module.js';
import { pick } from '../core/members.js';
import type { Actor } from '../audit-log/audit-log.js';
import type { CommandGroup, OperatorCommand } from './command-group.js';
import { confirm } from './confirm.js';
import { id, integer, moment, networks } from './options.js';
import { list, record, type Result } from './output.js';

interface IssueGiven extends Actor {
  merchant: number;
  name?: string;
  allowIp?: string[];
  expiresAt?: Date;
}

type EndGiven = Actor & { yes?: boolean };

export const apiKeyCommands: CommandGroup = {
  features: { imports: [AuthModule] },
  define(apiKey) {
    apiKey
      .command('issue')
      .description(
        'Issue an API key to a merchant. The key is shown only once; the service stores only its hash and its first characters.',
      )
      .requiredOption('--merchant <id>', 'merchant id', id)
      .option('--name <name>', 'label for the key, up to 128 characters')
      .option('--allow-ip <cidr,...>', 'networks that may use the key (default: any)', networks)
      .option('--expires-at <moment>', 'expiry time in ISO 8601 with a time zone (default: never)', moment)
      .audited()
      .examples(
        'api-key issue --merchant 1',
        'api-key issue --merchant 1 --name checkout --allow-ip 203.0.113.0/24,198.51.100.7 --expires-at 2030-01-31',
      )
      .does(async (app, { merchant, name, allowIp, expiresAt, ...by }: IssueGiven) => {
        const options = { name, allowedNetworks: allowIp, expiresAt };
        return issuedKey(await app.get(ApiKeysService).issue(merchant, options, by));
      });

    apiKey
      .command('list')
      .description('List a merchant’s API keys, without the secret part.')
      .requiredOption('--merchant <id>', 'merchant id', id)
      .examples('api-key list --merchant 1')
      .does(async (app, { merchant }: { merchant: number }) => {
        const keys = await app.get(ApiKeysService).list(merchant);
        return list(keys.map(toJson), 'The merchant has no API keys: topup api-key issue gives it one.');
      });

    apiKey
      .command('revoke')
      .description('Revoke an API key for good. It stops working within 5 seconds.')
      .argument('<id>', 'API key id', id)
      .audited()
      .asksFirst()
      .examples('api-key revoke 1', 'api-key revoke 1 --reason "published" --yes')
      .does(async (app, keyId: number, { yes, ...by }: EndGiven) => {
        const keys = app.get(ApiKeysService);
        await confirm(`${nameOf(await keys.get(keyId))} stops working within 5 seconds, for good.`, {
          yes,
        });
        return record(toJson(await keys.revoke(keyId, by)));
      });

    defineRotate(apiKey);
  },
};

function defineRotate(apiKey: OperatorCommand): void {
  apiKey
    .command('rotate')
    .description('Replace an API key by a new one with the same merchant, name, networks and expiry.')
    .argument('<id>', 'id of the old API key', id)
    .option(
      '--overlap <seconds>',
      'seconds that the old key keeps working, unless it expires earlier',
      integer(0, MAX_OVERLAP_SECONDS),
      0,
    )
    .audited()
    .asksFirst()
    .examples('api-key rotate 1', 'api-key rotate 1 --overlap 3600')
    .does(async (app, keyId: number, { overlap, yes, ...by }: EndGiven & { overlap: number }) => {
      const keys = app.get(ApiKeysService);
      const when = overlap === 0 ? 'within 5 seconds' : `in ${overlap} seconds`;
      await confirm(`${nameOf(await keys.get(keyId))} stops working ${when}, for good.`, { yes });
      return issuedKey(await keys.rotate(keyId, overlap, by));
    });
}

const issuedKey = ({ apiKey, key }: IssuedApiKey): Result => {
  const end = apiKey.expires_at && pick(apiKey, 'expires_at');
  const shown = { ...pick(apiKey, 'id', 'merchant_id', 'prefix'), key, ...end };
  return record(shown, 'Keep the key now: it is not shown again.');
};

const nameOf = ({ id, prefix, merchant_id, name }: ApiKey): string =>
  `API key ${id} (${prefix}…${name === '' ? '' : `, ${name}`}) of merchant ${merchant_id}`;

const toJson = (apiKey: ApiKey): Record<string, unknown> => ({
  ...pick(apiKey, 'id', 'merchant_id', 'prefix', 'name'),
  allowed_ips: apiKey.allowed_networks,
  ...pick(apiKey, 'expires_at', 'revoked_at', 'created_at'),
});
