import { Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';

function Anchor(props: ButtonProps & Omit<ComponentProps<'a'>, keyof ButtonProps>): ReactNode {
  return <Button component="a" {...props} />;
}

/** A link of the console that looks like a button. */
export const LinkButton = createLink(Anchor);
