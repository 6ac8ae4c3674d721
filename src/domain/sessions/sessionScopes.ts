/** Declares the scopes that a user's session can be granted once, such as changing the password. */

/** To change the password (spec 4.4). */
export const passwordScope = 'prld:pwd:write'
