/** Questions about templates. */

import { templateCollection } from '../../projections/verification/templates.ts'
import { resourceReader, shown } from '../reading/resourceReader.ts'

export const templateReader = resourceReader(templateCollection, shown)
