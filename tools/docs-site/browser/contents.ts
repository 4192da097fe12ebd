/** Marks the heading that the reader has reached, in the list beside the page. */
export function followContents(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('.contents a')].map((link) => [
      decodeURIComponent(link.hash.slice(1)),
      link,
    ]),
  );
  if (links.size === 0) return;
  const observer = new IntersectionObserver(
    (entries) => {
      const entry = entries.find(({ isIntersecting }) => isIntersecting);
      if (!entry) return;
      for (const [anchor, link] of links) link.classList.toggle('here', anchor === entry.target.id);
    },
    { rootMargin: '-10% 0px -70% 0px' },
  );
  for (const heading of document.querySelectorAll('h2[id]')) observer.observe(heading);
}
