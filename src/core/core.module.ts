import { Global, Module, type DynamicModule } from '@nestjs/common';
import { CONFIG, type Config } from './config.js';
import { Metrics } from './metrics.js';
import { SecretBox } from './secret-box.js';

export const LOGGER = Symbol('LOGGER');

/** Provides configuration, logger, metrics and secret box to all modules. */
@Global()
@Module({})
export class CoreModule {
  static register(config: Config, logger: unknown): DynamicModule {
    return {
      module: CoreModule,
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: LOGGER, useValue: logger },
        Metrics,
        { provide: SecretBox, useFactory: () => secretBox(config) },
      ],
      exports: [CONFIG, LOGGER, Metrics, SecretBox],
    };
  }
}

type PublicSecretBox = Pick<SecretBox, keyof SecretBox>;

/** Makes the secret box. Commands start without SECRETS_KEY: then each use of the box fails with an error about it. */
function secretBox(config: Config): PublicSecretBox {
  if (config.secretsKey) return new SecretBox(config.secretsKey, config.previousSecretsKeys);
  const missing = (): never => {
    throw new Error('SECRETS_KEY must be set for this: it is the key with which the running service encrypts secrets');
  };
  return {
    seal: missing,
    sealBytes: missing,
    sealUnbound: missing,
    open: missing,
    openBytes: missing,
    isOutdated: missing,
  };
}
