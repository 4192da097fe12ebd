import { Module } from '@nestjs/common';
import { OperatorsRepository } from './operators.repository.js';
import { OperatorsService } from './operators.service.js';

/** Accounts alone. The command line needs no sessions, and must work without the key for secrets. */
@Module({
  providers: [OperatorsRepository, OperatorsService],
  exports: [OperatorsRepository, OperatorsService],
})
export class OperatorsModule {}
