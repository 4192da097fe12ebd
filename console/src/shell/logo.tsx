import type { ReactNode } from 'react';

export function Logo(): ReactNode {
  return (
    <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#4a3fd6" />
      <path
        d="M16 24V9m-6 6 6-6 6 6"
        fill="none"
        stroke="#fff"
        strokeWidth="3.2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
