/* SPDX-License-Identifier: MIT */
/* Where the program's data files are: profiles, suites, published facts. */
#ifndef BASE_DATADIR_H
#define BASE_DATADIR_H

/* The path of `relative` ("profiles/x.yaml"; a file or a folder), the first that exists of: under $SSDSCOPE_DATA;
 * ../share/ssdscope/ and ../ as seen from the executable's folder; the source tree of the build. A fresh string, free()
 * it; NULL where none exists. If $SSDSCOPE_DATA is set, only that is searched. */
char *datadir_path(const char *relative);

#endif
