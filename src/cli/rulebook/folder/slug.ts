/** Names for files: what is left of a name in small letters, digits and dashes. */

const lengthMax = 60

/** Whether it can name a file that others refer to. */
export function isSlug(text: string): boolean {
  return /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text)
}

/** The slug of a name; `otherwise` when nothing of the name is left. */
export function slugOf(name: string, otherwise: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f'’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, lengthMax)
    .replace(/^-+|-+$/g, '')
  return slug === '' ? otherwise : slug
}

/** The slug, or the first of `slug-2`, `slug-3`, … that is not taken. */
export function freeSlug(slug: string, isTaken: (slug: string) => boolean): string {
  let free = slug
  for (let number = 2; isTaken(free); number += 1) free = `${slug}-${number}`
  return free
}
