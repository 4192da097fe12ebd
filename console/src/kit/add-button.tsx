import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { PlusIcon } from './icons';

interface AddButtonProps {
  label: string;
  /** The dialog that the button opens. */
  children: (onClose: () => void) => ReactNode;
}

/** A button that opens the dialog for a new thing. */
export function AddButton({ label, children }: AddButtonProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="xs" leftSection={<PlusIcon />} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && children(() => setOpen(false))}
    </>
  );
}
