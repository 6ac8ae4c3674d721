/** What sessions of end users may do once more than usual. */

/** To change the password (spec 4.4). */
export const passwordScope = 'prld:pwd:write'
