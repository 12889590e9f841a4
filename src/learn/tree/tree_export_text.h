/* src/learn/tree/tree_export_text.h - the constant parts of the code that tree_export() writes. */
#ifndef LEARN_TREE_TREE_EXPORT_TEXT_H
#define LEARN_TREE_TREE_EXPORT_TEXT_H

extern const char tree_export_types[];       /* before tables and trees */
extern const char tree_export_rule[];        /* after them */
extern const char tree_export_doca[];        /* entry points */

#endif
