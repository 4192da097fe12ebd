import { Module } from '@nestjs/common';
import { SecretsRepository } from './secrets.repository.js';
import { SecretsService } from './secrets.service.js';

@Module({ providers: [SecretsRepository, SecretsService], exports: [SecretsService] })
export class SecretsModule {}
