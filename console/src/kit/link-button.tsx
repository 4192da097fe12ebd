import { Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';

function Anchor(props: ButtonProps & Omit<ComponentProps<'a'>, keyof ButtonProps>): ReactNode {
  return <Button component="a" {...props} />;
}

/** A link to a page of the console, styled as a button. */
export const LinkButton = createLink(Anchor);
