import { Body, type PipeTransform } from '@nestjs/common';
import { readMembers } from '../validation/read-members.js';

class NoMembers {}

const noMembers: PipeTransform<unknown, NoMembers> = {
  transform: (body) => readMembers(NoMembers, body === undefined ? {} : body),
};

/** A request that takes no body; an empty object will do. @throws BAD_REQUEST for any other */
export const EmptyBody = (): ParameterDecorator => Body(noMembers);
