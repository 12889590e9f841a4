#!/usr/bin/env bats
# tests/tools/sbom.bats - tools/sbom lists the linked libraries in the CycloneDX 1.5 format.

setup() {
    : "${BUILD:?is the build folder}"
    command -v dpkg-query >/dev/null || skip 'no Debian packages here'
    ldd "$BUILD/anole" >/dev/null 2>&1 || skip 'programs of another processor'
    dir=$BATS_FILE_TMPDIR
    [ -e "$dir/sbom.json" ] || tools/sbom "$BUILD" "$dir/sbom.json"
}

# The fields that the schema (bom-1.5.schema.json) requires of the parts in use.
@test "sbom: has the fields that the format requires" {
    jq -e '.bomFormat == "CycloneDX" and .specVersion == "1.5" and .version == 1' "$dir/sbom.json"
    jq -re .serialNumber "$dir/sbom.json" | grep -qE '^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'
    jq -re .metadata.timestamp "$dir/sbom.json" | grep -qE '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$'
    jq -e '[.metadata.component, .components[]] | all(.name != "" and .version != "" and (.type == "application" or .type == "library"))' "$dir/sbom.json"
    jq -e '[.components[]."bom-ref"] | length > 10 and length == (unique | length)' "$dir/sbom.json"
    jq -e '[.components[] | .scope // "required"] | unique - ["required", "optional", "excluded"] == []' "$dir/sbom.json"
    jq -e '[.components[].hashes // [] | .[]] | length > 5 and all(.alg == "SHA-512" and (.content | test("^[0-9a-f]{128}$")))' "$dir/sbom.json"
    # every dependency is listed
    jq -e '([.components[]."bom-ref"] + ["this"]) as $there | [.dependencies[] | .ref, .dependsOn[]] - $there == []' "$dir/sbom.json"
}

@test "sbom: lists every library that the program names, with the installed version" {
    readelf -d "$BUILD/anole" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' >"$dir/needed"
    [ "$(wc -l <"$dir/needed")" -ge 4 ]
    grep -q '^libyaml' "$dir/needed"
    jq -re '.dependencies[] | select(.ref == "anole").dependsOn[]' "$dir/sbom.json" >"$dir/listed"
    for package in libyaml-0-2 libsqlite3-0 libc6; do
        version=$(dpkg-query -W -f '${Version}' $package)
        jq -e --arg name "$package" --arg version "$version" '.components[] | select(.name == $name) | .version == $version' "$dir/sbom.json"
        grep -q "^pkg:deb/debian/$package@" "$dir/listed"
    done
}

@test "sbom: of the npm packages only the one in the page is required" {
    [ "$(jq -r '.components[] | select((.purl // "") | startswith("pkg:npm/")) | select(.scope == "required").name' "$dir/sbom.json")" = uplot ]
    [ "$(jq -r '.components[] | select(.name == "uplot").version' "$dir/sbom.json")" = "$(jq -r '.packages."node_modules/uplot".version' web/package-lock.json)" ]
    [ "$(jq '[.components[] | select((.purl // "") | startswith("pkg:npm/"))] | length' "$dir/sbom.json")" -eq \
        "$(jq '[.packages | to_entries[] | select(.key != "") | (.key | sub(".*node_modules/"; "")) + "@" + .value.version] | unique | length' web/package-lock.json)" ]
}

@test "sbom: the same bytes each time" {
    tools/sbom "$BUILD" >"$dir/again.json"
    cmp "$dir/sbom.json" "$dir/again.json"
    run tools/sbom tests
    [ "$status" -eq 1 ]
    [[ $output == *'has no program; build it first'* ]]
}
