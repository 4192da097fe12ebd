import type { ReactNode } from 'react';

/** Our own icons, because a package with our thirty weighs 88 MB. The grid is 16 wide, the stroke 1.5. */
function icon(path: ReactNode): () => ReactNode {
  return function Icon() {
    return (
      <svg
        width="16"
        height="16"
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
      >
        {path}
      </svg>
    );
  };
}

export const HomeIcon = icon(<path d="M2.5 7 8 2.5 13.5 7v6.5h-4v-4h-3v4h-4z" />);
export const OrdersIcon = icon(
  <path d="M3 2.5h10v11l-2-1.3-1.5 1.3L8 12.2l-1.5 1.3L5 12.2l-2 1.3zM5.5 5.5h5m-5 3h5" />,
);
export const ReviewIcon = icon(
  <>
    <path d="M8 5v3.5M8 11v.01" />
    <circle cx="8" cy="8" r="5.75" />
  </>,
);
export const MerchantsIcon = icon(<path d="M2.5 6.5 3.5 3h9l1 3.5M2.5 6.5h11M3.5 6.5v7h9v-7m-6 7V10h3v3.5" />);
export const SuppliersIcon = icon(<path d="M2 4.5h7.5v6.5H2zM9.5 7h2.7l1.8 2v2H9.5M4.5 11v1.5m7-1.5v1.5" />);
export const LogIcon = icon(<path d="M5.5 3.5h8m-8 4.5h8m-8 4.5h8M2.5 3.5h.01M2.5 8h.01M2.5 12.5h.01" />);
export const OperatorsIcon = icon(
  <>
    <circle cx="6" cy="5.5" r="2.5" />
    <path d="M1.75 13c.5-2.4 2.1-3.6 4.25-3.6S9.75 10.6 10.25 13M10.5 3.2a2.5 2.5 0 0 1 0 4.6m1.4 2.1c1.2.6 2 1.7 2.35 3.1" />
  </>,
);
export const WebhooksIcon = icon(
  <>
    <circle cx="4" cy="11.5" r="1.75" />
    <circle cx="12" cy="11.5" r="1.75" />
    <circle cx="8" cy="4.5" r="1.75" />
    <path d="M7.1 6 4.9 10M5.75 11.5h4.5M8.9 6l2.2 4" />
  </>,
);
export const ApprovalsIcon = icon(
  <>
    <circle cx="6.5" cy="5" r="2.5" />
    <path d="M2 13.5c.5-2.6 2.2-4 4.5-4 .9 0 1.7.2 2.4.6M9.5 12l1.7 1.7 3-3.4" />
  </>,
);
export const ReportsIcon = icon(<path d="M2.5 13.5h11M4 11V7.5m4 3.5V3m4 8V5.5" />);
export const AuditIcon = icon(<path d="M8 2 3 4v4c0 3 2.2 5 5 6 2.8-1 5-3 5-6V4zM5.8 8l1.6 1.6 2.9-3.1" />);
export const ProductsIcon = icon(<path d="M2.5 5 8 2.2 13.5 5v6L8 13.8 2.5 11zM2.5 5 8 7.8 13.5 5M8 7.8v6" />);
export const RatesIcon = icon(<path d="M2.5 5.5h9m0 0L9 3m2.5 2.5L9 8M13.5 10.5h-9m0 0L7 8m-2.5 2.5L7 13" />);
export const SearchIcon = icon(
  <>
    <circle cx="7" cy="7" r="4.25" />
    <path d="m10.2 10.2 3.3 3.3" />
  </>,
);
export const MenuIcon = icon(<path d="M2.5 4.5h11m-11 3.5h11m-11 3.5h11" />);
export const PersonIcon = icon(
  <>
    <circle cx="8" cy="5.5" r="2.75" />
    <path d="M2.75 13.5c.7-2.6 2.7-4 5.25-4s4.55 1.4 5.25 4" />
  </>,
);
export const CopyIcon = icon(<path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />);
export const CheckIcon = icon(<path d="m3 8.5 3.3 3.3L13 4.8" />);
export const CrossIcon = icon(<path d="m4 4 8 8m0-8-8 8" />);
export const PauseIcon = icon(<path d="M5.5 3.5v9m5-9v9" />);
export const PlayIcon = icon(<path d="M5 3.2v9.6L12.5 8z" />);
export const DownloadIcon = icon(<path d="M8 2.5v7.5m0 0L5 7m3 3 3-3M2.5 13.5h11" />);
export const OlderIcon = icon(<path d="m6 3.5 4.5 4.5L6 12.5" />);
export const NewerIcon = icon(<path d="M10 3.5 5.5 8l4.5 4.5" />);
export const DownIcon = icon(<path d="m3.5 6 4.5 4.5L12.5 6" />);
export const PlusIcon = icon(<path d="M8 3v10M3 8h10" />);
export const NoteIcon = icon(<path d="M3 2.5h10v7.5l-3.5 3.5H3zM9.5 13.5V10H13M5.5 5.5h5m-5 2.5h3" />);
export const CallIcon = icon(
  <path d="M2.5 5.5h11m0 0L10.8 2.8m2.7 2.7L10.8 8.2M13.5 10.5h-11m0 0 2.7 2.7m-2.7-2.7 2.7-2.7" />,
);
export const MoneyIcon = icon(
  <>
    <path d="M2 4.5h12v7H2z" />
    <circle cx="8" cy="8" r="1.5" />
  </>,
);
export const DepositsIcon = icon(<path d="M8 2.5v7m0 0L5.2 6.7M8 9.5l2.8-2.8M2.5 9.5v4h11v-4" />);
export const EventIcon = icon(<path d="M8.8 2 3.5 9h4l-.8 5L12.5 7h-4z" />);
export const StateIcon = icon(
  <>
    <circle cx="8" cy="8" r="2.25" />
    <path d="M8 2.5v3.25m0 4.5v3.25" />
  </>,
);
export const KeyboardIcon = icon(<path d="M1.5 4.5h13v7h-13zM4 7h.01M6.5 7h.01M9 7h.01M11.5 7h.01M5 9.5h6" />);
export const SignOutIcon = icon(<path d="M9.5 5V2.5h-7v11h7V11M6 8h8m0 0-2.5-2.5M14 8l-2.5 2.5" />);
export const CalendarIcon = icon(<path d="M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3m5-3v3" />);
