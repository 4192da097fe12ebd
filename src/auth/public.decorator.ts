import { SetMetadata } from '@nestjs/common';

export const PUBLIC = 'public';

/** Opens a controller or route to callers without an API key; everything else is closed. */
export const Public = (): ClassDecorator & MethodDecorator => SetMetadata(PUBLIC, true);
