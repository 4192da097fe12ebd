import { Module } from '@nestjs/common';
import { OperatorsRepository } from './operators.repository.js';
import { OperatorsService } from './operators.service.js';

/** Accounts without sessions and without the key for secrets, as the command line needs them. */
@Module({
  providers: [OperatorsRepository, OperatorsService],
  exports: [OperatorsRepository, OperatorsService],
})
export class OperatorsModule {}
